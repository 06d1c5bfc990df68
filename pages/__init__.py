"""The pages of the web application; app.py lists them."""
