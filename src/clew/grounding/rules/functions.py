"""What the functions and operators of expressions take and give (URL Conventions 4.01, clause 5.1.1)."""

from clew.protocol.primitives import INTEGER_RANGES

NUMBERS = {*INTEGER_RANGES, "Edm.Decimal", "Edm.Double", "Edm.Single"}
COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le"}
TEXT_FUNCTIONS = {
    "contains",
    "startswith",
    "endswith",
    "substringof",
    "indexof",
    "length",
    "tolower",
    "toupper",
    "trim",
    "concat",
    "substring",
    "replace",
    "matchesPattern",
}
RESULTS = {
    "contains": "Edm.Boolean",
    "startswith": "Edm.Boolean",
    "endswith": "Edm.Boolean",
    "substringof": "Edm.Boolean",
    "matchesPattern": "Edm.Boolean",
    "hassubset": "Edm.Boolean",
    "hassubsequence": "Edm.Boolean",
    "isof": "Edm.Boolean",
    "indexof": "Edm.Int32",
    "length": "Edm.Int32",
    "tolower": "Edm.String",
    "toupper": "Edm.String",
    "trim": "Edm.String",
    "concat": "Edm.String",
    "substring": "Edm.String",
    "replace": "Edm.String",
    "year": "Edm.Int32",
    "month": "Edm.Int32",
    "day": "Edm.Int32",
    "hour": "Edm.Int32",
    "minute": "Edm.Int32",
    "second": "Edm.Int32",
    "fractionalseconds": "Edm.Decimal",
    "totaloffsetminutes": "Edm.Int32",
    "totalseconds": "Edm.Decimal",
    "date": "Edm.Date",
    "time": "Edm.TimeOfDay",
    "now": "Edm.DateTimeOffset",
    "mindatetime": "Edm.DateTimeOffset",
    "maxdatetime": "Edm.DateTimeOffset",
}
DATED = {"Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset"}
TIMED = {"Edm.Time", "Edm.TimeOfDay", "Edm.DateTime", "Edm.DateTimeOffset", "Edm.Duration"}
TEMPORAL_FUNCTIONS = {
    "year": DATED,
    "month": DATED,
    "day": DATED,
    "hour": TIMED,
    "minute": TIMED,
    "second": TIMED,
    "fractionalseconds": TIMED,
    "totaloffsetminutes": {"Edm.DateTimeOffset"},
    "totalseconds": {"Edm.Duration"},
}
PART_FUNCTIONS = {"contains": 0, "startswith": 0, "endswith": 0, "substringof": 1}
"""Which argument is the text that is searched in."""
