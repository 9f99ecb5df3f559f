"""The vocabulary of Clew: what travels between packages, frozen.

Above: every other package. Below: nothing of ours. Not its business: input and output, formats, databases, models.
"""
