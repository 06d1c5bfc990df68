"""What to do about a refused row or file, by the rule it broke."""

ADVICE = {
    "allowed": "Use one of the values the message lists.",
    "archive": "Pack one file per archive.",
    "blank": "Fill the cell at its source and export again.",
    "boolean": "Write yes or no.",
    "changing": "Load again when the file is complete.",
    "cluster": "Name the cluster, in the file or as an option of the source.",
    "conflict": "Someone edited this risk in the browser meanwhile: decide there which holds.",
    "contract": "Report this file: its reader and its table disagree.",
    "count": "Write a whole number above zero, or leave the cell blank.",
    "csv": "Export the file again; a quote may be missing.",
    "currency": "Write the three-letter code, such as USD.",
    "date": "Write dates as 2026-11-30, times as 2026-11-30 14:05.",
    "effect": "Write down, degraded or unknown.",
    "empty": "The file holds no rows: export it again.",
    "encoding": "Save the file as UTF-8.",
    "end": "Correct the start or the end.",
    "end_before_start": "Correct the start or the end; leave the end blank while it is open.",
    "formula": "Use a formula id that the message lists.",
    "frozen": "The meter repeated itself; its value is left out. Check the exporter.",
    "gpu_uuid": "Export again with the accelerator's UUID.",
    "json": "Export the file again; it was cut off or is not JSON.",
    "missing": "Fill the cell at its source and export again.",
    "missing_columns": "Export again with the columns named.",
    "month": "Write months as 2026-11.",
    "negative": "Correct the value: it cannot be negative.",
    "not_supported": "The meter does not support this field; nothing is lost.",
    "number": 'Write plain digits; for decimal commas set decimal = "," for the source.',
    "order": "Correct the start or the end.",
    "precision": "Use a precision that the accelerator table lists.",
    "range": "Correct the value: it is outside what is possible.",
    "repeated": "Delete the copy, or give each row its own id.",
    "required": "Fill the cell at its source and export again.",
    "sheet": "Name a sheet that the workbook has.",
    "time": "Write times as 2026-11-30 14:05.",
    "timestamp": "Write times as 2026-11-30 14:05.",
    "tres": "Write AllocTRES as sacct does, such as cpu=96,gres/gpu=8,node=1.",
    "truncated": "The file was cut off: export it again.",
    "unique": "Delete the copy, or give each row its own key.",
    "unknown": "Correct the name, or add it to the reference tables.",
    "unknown_table": "Name the file or sheet after a reference table.",
    "unreadable": "Export the file again.",
    "value": "Use one of the values the message lists.",
    "version": "Export as a FOCUS version from 1.0 to 1.4.",
    "whole_number": "Write a whole number.",
    "workbook": "Save the file again as .xlsx.",
    "xml": "Save the plan again as XML.",
}

OTHERWISE = "Correct it at its source, then load again."


def advice(rule: str | None) -> str:
    """The English sentence for a rule; a general one for a rule not listed."""
    return ADVICE.get(rule or "", OTHERWISE)
