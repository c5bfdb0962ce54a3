extension ReportPage {
    /// The style sheet. The style sheet follows the light or dark mode of the system. On a narrow screen each issue is
    /// a separate block.
    static let style = """

        :root {
          color-scheme: light dark;
          --ground: #fbfbfd; --raised: #ffffff; --line: #dcdee5; --text: #1c1d22; --muted: #585c68;
          --bar: #3b6fd4; --bad: #b3261e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14161b; --raised: #1d2027; --line: #363a45; --text: #e8e9ee; --muted: #a5aab7;
            --bar: #7ba4f4; --bad: #ff8f86;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--ground); color: var(--text);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        }
        main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; font-weight: 600; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; font-weight: 600; }
        header p { margin: 0; color: var(--muted); }
        header b { color: var(--text); font-weight: 600; }
        .remark {
          margin-top: 1rem !important; padding: .5rem .9rem; border-left: 4px solid var(--bar);
          background: var(--raised); color: var(--text) !important;
        }
        code, .code, .value, .line {
          font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em;
        }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0; }
        dl div { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; }
        dt { color: var(--muted); font-size: .9rem; }
        dt::first-letter { text-transform: uppercase; }
        dd { margin: 0; font-size: 1.5rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
        .bad dd { color: var(--bad); }
        table { width: 100%; border-collapse: collapse; }
        caption { text-align: left; color: var(--muted); padding-bottom: .5rem; }
        th, td { text-align: left; vertical-align: baseline; padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line); }
        th { color: var(--muted); font-weight: 500; font-size: .9rem; }
        .number, .share { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .share, small { color: var(--muted); }
        small { font-size: .9rem; font-weight: 400; white-space: nowrap; }
        .bar { width: 40%; padding-right: 0; vertical-align: middle; }
        .bar svg { display: block; fill: var(--bar); }
        .line { font-variant-numeric: tabular-nums; }
        .key { overflow-wrap: anywhere; }
        .value { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 8rem; unicode-bidi: isolate; }
        .message { overflow-wrap: anywhere; min-width: 14rem; }
        #filter:not([hidden]) { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; margin-bottom: 1rem; }
        label { display: flex; align-items: center; gap: .5rem; color: var(--muted); flex: 1 1 16rem; }
        input, select, button {
          font: inherit; color: var(--text); background: var(--raised); border: 1px solid var(--muted);
          border-radius: 6px; padding: .4rem .6rem; min-width: 0;
        }
        input, select { flex: 1; width: 100%; }
        button { cursor: pointer; }
        /* WCAG 2.2, 2.5.8: a target is 24 px high and wide at the least. */
        td button { border: 0; padding: 0; background: none; color: var(--bar); min-height: 24px; min-width: 24px; text-align: left; }
        td button:hover { text-decoration: underline; text-underline-offset: 5px; }
        #more { margin-top: 1rem; }
        :focus-visible { outline: 3px solid var(--bar); outline-offset: 2px; }
        @media (max-width: 40rem) {
          main { padding: 1.25rem 1rem 3rem; }
          dl { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
          dd { font-size: 1.25rem; }
          #chart thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          #chart tr {
            display: grid; grid-template: "field number share" auto "code code code" auto "bar bar bar" auto / 1fr auto auto;
            gap: .1rem .9rem; align-items: baseline; padding: .6rem 0; border-bottom: 1px solid var(--line);
          }
          #chart td { border: 0; padding: 0; min-width: 0; overflow-wrap: anywhere; }
          #chart .field { grid-area: field; }
          #chart .number { grid-area: number; }
          #chart .share { grid-area: share; min-width: 4.5em; }
          #chart .code { grid-area: code; }
          #chart .bar { grid-area: bar; width: auto; }
          #list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          #list tr {
            display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .9rem; padding: .6rem 0;
            border-bottom: 1px solid var(--line);
          }
          #list td { border: 0; padding: 0; min-width: 0; }
          #list .line { color: var(--muted); }
          #list .line::before { content: "line "; }
          #list .message, #list .value { flex: 1 0 100%; }
          #list .message { order: 1; }
          #list .value:empty { display: none; }
        }

        """
}
