"""OData and HTTP as data: JSON, literals, keys, URLs, options, values, error bodies, batches. Pure.

Above: grounding, mock, execution, process, tools: validator, mock and client share this grammar and nothing else.
Below: domain. Not its business: what a service offers, sending anything.

Every module raises `clew.domain.errors.MalformedText`, with a stable code and a 0-based position, where a text leaves
its grammar. Values are held in *JSON terms*, the same for every version: `int`, `Decimal`, `bool` and `str`; dates,
times, durations and GUIDs are ISO or hyphenated text, binary is base64url text; no number ever is a `float`.
"""
