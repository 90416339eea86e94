"""Datum: hierarchies of data for PowerShell DSC, as Datum 0.42 resolves them."""
