/// The expected texts of screens.
enum References {
    static let emptyForm = """
         Register a profile                                                  * required
         ──────────────────────────────────────────────────────────────────────────────

        › Username *   [           ]
                       2–10 letters A–Z, a–z and digits 0–9

          Password *   [                                                           ]


          Phone *      [          ]


          Address *    [                                                           ]


          Postal code  [      ]


          Birthday     [           ]




         Return next   ↑↓ move   Ctrl-S register   Esc leave
        """

    static let narrowForm = """
         Register a profile          * required
          Username *  [skboard    ] ✓

          Password *  [••••••                ] ✓

          Phone *     [7876-1241 ] ✓

          Address *   [12 Main Street        ] ✓

          Postal code [      ]
        › Birthday    [           ]
            yyyy.MM.dd, yyyyMMdd or yyyy-MM-dd,
            or nothing

         Return register   ↑↓ move   Esc leave
        """
}
