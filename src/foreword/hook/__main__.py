"""`python -I -m foreword.hook CLIENT EVENT`: one client event, its JSON on stdin.

FOREWORD_DISABLE=1 ends it before anything is imported.
"""

import os
import sys

if os.environ.get("FOREWORD_DISABLE") != "1":
    from foreword.hook.run import main

    main(sys.argv[1:])
