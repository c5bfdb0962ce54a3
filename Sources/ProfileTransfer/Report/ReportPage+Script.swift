extension ReportPage {
    /// The script that makes the list of issues searchable. The script inserts values into the page only as text, never
    /// as markup.
    static let script = #"""

        "use strict";
        const report = JSON.parse(document.getElementById("report").textContent);
        const list = document.getElementById("list");
        if (list) {
          const step = 200;
          const body = list.tBodies[0];
          const keys = Array.from(list.tHead.rows[0].cells, cell => cell.dataset.key);
          const words = document.getElementById("words");
          const kind = document.getElementById("kind");
          const more = document.getElementById("more");
          const shown = document.getElementById("shown");
          const grouped = number => number.toLocaleString("en-US");
          const treacherous = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
          const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
          const visible = text => String(text).replace(treacherous,
            character => named[character] ?? "\\u{" + character.codePointAt(0).toString(16) + "}");
          const fieldText = field => field === null ? "(row)" : field;
          const kindOf = issue => JSON.stringify([issue.field, issue.code]);
          // The number of issues, listed or not.
          const countOf = kind => report.issue_counts.filter(count => !kind || kindOf(count) === kind)
            .reduce((sum, count) => sum + count.count, 0);
          let found = report.issues;
          let limit = step;

          const cell = (issue, key) => {
            const element = document.createElement("td");
            element.className = key;
            const value = key === "field" ? fieldText(issue.field) : issue[key];
            element.textContent = value === undefined ? "" : visible(value);
            return element;
          };
          const draw = () => {
            body.replaceChildren(...found.slice(0, limit).map(issue => {
              const row = document.createElement("tr");
              row.append(...keys.map(key => cell(issue, key)));
              return row;
            }));
            const count = Math.min(found.length, limit);
            const first = count < found.length ? `The first ${grouped(count)} of ${grouped(found.length)}` : grouped(count);
            const counted = words.value.trim() === "" ? countOf(kind.value) : null;
            shown.textContent =
              counted === null ? `${first} found${report.issues_truncated ? " among those that are listed" : ""}.`
              : found.length === counted ? `${first} found.`
              : found.length === 0 ? `None of these ${grouped(counted)} is listed.`
              : `${first} listed, of ${grouped(counted)} in all.`;
            more.hidden = count === found.length;
          };
          const search = () => {
            const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
            found = report.issues.filter(issue => {
              if (kind.value && kindOf(issue) !== kind.value) return false;
              const text = keys.map(key => key === "field" ? fieldText(issue.field) : issue[key] ?? "")
                .join("\n").toLowerCase();
              return wanted.every(word => text.includes(word));
            });
            limit = step;
            draw();
          };

          report.issue_counts.forEach((count, index) => {
            const option = document.createElement("option");
            option.value = kindOf(count);
            option.textContent = `${fieldText(count.field)}: ${count.code} (${grouped(count.count)})`;
            kind.append(option);
            const code = document.getElementById("chart").tBodies[0].rows[index].cells[1];
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = code.textContent;
            button.title = "Show these";
            button.addEventListener("click", () => {
              kind.value = option.value;
              search();
              kind.focus();
            });
            code.replaceChildren(button);
          });
          const filter = document.getElementById("filter");
          filter.hidden = false;
          filter.addEventListener("submit", event => event.preventDefault());
          words.addEventListener("input", search);
          kind.addEventListener("change", search);
          more.addEventListener("click", () => { limit += step; draw(); });
          draw();
        }

        """#
}
