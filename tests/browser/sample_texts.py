"""What the sample store says: a web shop's questions and answers, its facts and sessions, its graph. Data."""

# (question, answer, the file that it cites or ""), newest first
NOTES = (
    (
        "Why do uploads to the gateway fail after half a minute?",
        "The proxy in front of the gateway closes a request after 30 s, and a multipart upload of more than"
        " 40 MB takes longer on a slow line. `MAX_PART` in `src/upload.py:3` is now 8 MB, so that each part"
        " is a request of its own; a part that fails is sent again, the whole upload is not. The proxy's"
        " limit stays at 30 s, because raising it hid two real hangs in March.",
        "src/upload.py",
    ),
    (
        "How does the cart keep its prices while a sale ends?",
        "`freeze` in `src/cart.py:3` copies the price into the line when it is added and keeps it for"
        " 20 minutes; the sale's own end is not asked again. After that the line is priced anew and the"
        " customer is told. The tests use a clock that is handed in, so no test waits for 20 minutes.",
        "src/cart.py",
    ),
    (
        "The importer drops rows whose currency is missing, is that on purpose?",
        "Yes: the ledger adds up amounts per currency, so a row that names none has no column to go to."
        " `keep` in `src/importer.py:3` drops it and counts it; the count is in the report of the run. Before"
        " that rule the totals were wrong by 1,204 rows and nobody had noticed it for a quarter.",
        "src/importer.py",
    ),
    (
        "Which index makes the order search slow?",
        "None of them: the query sorts by `created_at` and filters by `status`, and the planner picks the"
        " index on `status` alone, reads 90,000 rows and sorts them. A compound index on (status, created_at)"
        " turns it into a range scan: 812 ms became 6 ms on the copy of production. It is in"
        " `migrations/0042_orders.sql`.",
        "migrations/0042_orders.sql",
    ),
    (
        "Why does the checkout test fail only on Mondays?",
        "`next_delivery` in `src/delivery.py:3` skipped Sundays by adding a day to a Saturday, and the test's"
        " fixed date was compared with the real one: on Mondays both were the same day. The test now hands"
        " the date in, and the function takes a calendar with the public holidays of the warehouse's state.",
        "src/delivery.py",
    ),
    (
        "Can we retry a payment without charging twice?",
        "Yes, as long as the same idempotency key goes along: `pay` in `src/payment.py:3` makes it from the"
        " order and its revision, not from the attempt. The provider keeps keys for 24 hours, so a retry by"
        " the night job must look the payment up first and only then send it again.",
        "src/payment.py",
    ),
    (
        "What makes the docker build take nine minutes?",
        "Copying the whole checkout before the dependencies are installed: any changed file threw the layer"
        " away. The lock file is copied alone now, dependencies are a layer of their own, and the assets are"
        " built in a stage that runs beside it. A build after a change of code takes 70 s.",
        "Dockerfile",
    ),
    (
        "Why are webhooks handled twice?",
        "The provider sends one again when it gets no answer within 5 s, and our handler did its work before"
        " it answered. It now stores the event under its id, answers, and a worker does the rest; the id is"
        " unique in the table, so a second delivery changes nothing. See `src/webhooks.py:3`.",
        "src/webhooks.py",
    ),
)

# What fills the month: (part, what happened, why, file)
PARTS = (
    ("the session store", "logs people out at midnight", "its keys had a date in them", "src/sessions.py"),
    ("the mail queue", "stops after a bounce", "one exception ended the loop", "src/mail.py"),
    ("the invoice number", "skips one now and then", "a rolled back order keeps it", "src/invoice.py"),
    ("the stock count", "goes below zero", "two workers read before either wrote", "src/stock.py"),
    ("the search box", "ignores umlauts", "the index was built without folding", "src/search.py"),
    ("the image resizer", "eats two gigabytes", "it decodes all sizes at once", "src/images.py"),
    ("the price feed", "is an hour late", "its clock is local, the server's is UTC", "src/feed.py"),
    ("the admin page", "shows stale totals", "the cache had no key for the region", "src/admin.py"),
    ("the coupon check", "accepts codes in capitals only", "the column compares bytes", "src/coupons.py"),
    ("the export", "is cut at 65,536 rows", "the old spreadsheet format ends there", "src/export.py"),
)
ASKED = (
    "Why is it that {part} {what}?",
    "How do I reproduce that {part} {what}?",
    "Write a test for the case in which {part} {what}",
    "Is it safe to deploy while {part} {what}?",
)
ANSWERED = (
    "It {what} because {why}: the place is `{file}:3`. A test that fails without the change is beside it, and"
    " the old rows were corrected by hand on the copy first, 17 of them, before the same was done in"
    " production. Nothing else reads that value, which was looked up in all three services."
)

# (title, body, tags)
FACTS = (
    ("Build command", "`make build` needs Node 22; the lock file is the truth.", ("build", "tooling")),
    ("Where secrets live", "In the vault, never in the repository; `make env` fetches them.", ("security",)),
    (
        "Test database",
        "Postgres 17 in a container on port 5433, made anew for each run.",
        ("tests", "tooling"),
    ),
    (
        "Money is kept in cents",
        "All amounts are integers in the currency's smallest unit.",
        ("decision", "money"),
    ),
    ("Deploys", "Not on Fridays after noon. The tag starts it, nobody runs it by hand.", ("process",)),
)
SUPERSEDED = ("Build command", "`npm run build` with Node 18.", ("build",))

# (title, body, tags)
SESSIONS = (
    (
        "Uploads in parts, and the proxy's limit",
        "Uploads are sent in parts of 8 MB now, each retried by itself.\n\n## Decided\n\n- The proxy's limit"
        " stays at 30 s.\n- Parts are numbered from 1, as the storage wants it.\n\n## Open\n\n- The progress"
        " bar counts parts, not bytes.",
        ("uploads", "decision"),
    ),
    (
        "Orders: the compound index",
        "The order list is fast again.\n\n## Done\n\n- Index on (status, created_at), migration 42.\n- The"
        " planner's choice is in a test that reads EXPLAIN.\n\n## Open\n\n- The archive of orders has no such"
        " index.",
        ("orders", "performance"),
    ),
    (
        "Payments: retries with one key",
        "One key an order and revision.\n\n## Decided\n\n- The night job looks up before it sends.",
        ("payments", "decision"),
    ),
)

ABOUT_GATEWAY = (
    ("Why does the gateway answer 502 while it deploys?", "It stops listening before the last requests end."),
    (
        "Which header tells the service who asks?",
        "`X-Shop-User`, set by the gateway and never taken from outside.",
    ),
    ("How long are tokens valid?", "Fifteen minutes; the refresh token thirty days, and it is used once."),
)

# {type: names}; with the relations below a graph of 40 entities
ENTITIES = {
    "service": (
        "shop", "gateway", "payments", "search", "mailer", "importer", "ledger", "stock", "images", "admin",
    ),
    "database": ("orders-db", "ledger-db", "session-cache", "search-index"),
    "library": ("money-kit", "retry-kit", "forms", "chart-lines", "clock-in-hand"),
    "person": ("Amara", "Jonas", "Mei", "Tomás"),
    "decision": (
        "Money in cents", "One key a payment", "No deploys on Friday", "Uploads in parts", "UTC everywhere",
    ),
    "host": ("edge-1", "edge-2", "worker-1", "worker-2", "db-1"),
    "incident": (
        "Double webhooks in March", "Lost sessions at midnight", "Totals off by 1,204 rows",
        "Slow order list",
    ),
    "provider": ("Card provider", "Parcel service", "Mail relay"),
}  # fmt: skip
RELATIONS = (
    ("gateway", "shop", "forwards_to"), ("gateway", "admin", "forwards_to"), ("gateway", "edge-1", "runs_on"),
    ("gateway", "edge-2", "runs_on"), ("shop", "orders-db", "writes"), ("shop", "session-cache", "uses"),
    ("shop", "payments", "calls"), ("shop", "stock", "calls"), ("shop", "search", "calls"),
    ("shop", "mailer", "calls"), ("shop", "money-kit", "uses"), ("shop", "forms", "uses"),
    ("shop", "worker-1", "runs_on"), ("payments", "Card provider", "calls"),
    ("payments", "retry-kit", "uses"),
    ("payments", "ledger", "calls"), ("payments", "One key a payment", "follows"),
    ("ledger", "ledger-db", "writes"), ("ledger", "Money in cents", "follows"),
    ("importer", "ledger", "feeds"),
    ("importer", "worker-2", "runs_on"), ("search", "search-index", "reads"),
    ("mailer", "Mail relay", "calls"),
    ("stock", "orders-db", "reads"), ("stock", "Parcel service", "asks"), ("images", "worker-2", "runs_on"),
    ("admin", "chart-lines", "uses"), ("admin", "orders-db", "reads"), ("orders-db", "db-1", "runs_on"),
    ("ledger-db", "db-1", "runs_on"), ("Amara", "shop", "maintains"), ("Amara", "gateway", "maintains"),
    ("Jonas", "payments", "maintains"), ("Mei", "search", "maintains"), ("Tomás", "importer", "maintains"),
    ("Double webhooks in March", "payments", "hit"), ("Lost sessions at midnight", "session-cache", "hit"),
    ("Totals off by 1,204 rows", "importer", "hit"), ("Slow order list", "orders-db", "hit"),
    ("Uploads in parts", "gateway", "about"), ("UTC everywhere", "clock-in-hand", "about"),
)  # fmt: skip
# A relation to a name that no entity has: what lint finds.
DANGLING = ("shop", "old-warehouse", "called")
OBSERVED = (
    "Answers in {n} ms in the median, measured at the gateway",
    "Restarted with the release of that week; nothing was lost",
    "Its tests take {n} s on two cores",
)
