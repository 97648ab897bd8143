"""The kinds this project reconciles, one package each."""
