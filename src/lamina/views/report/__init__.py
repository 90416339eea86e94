"""The page: a result, its layers and its history in one file that a browser opens from disk.

How its data is made, from the outside in:

- `build_html` puts the files in `page/` and the data of a result into one document; `page_data` collects that data.
- `views` says what a reader picks from; `output_rows` makes the rows of each such view from those in `views.rows`, and
  `page_tables` holds everything that occurs many times once, and gives it a number. `value_text` is how values are
  written.
- `layer_status` is the outcome for each layer, `layer_record` which layers a view has, and `layer_order` in which
  order. `source_links` are the addresses of sources on the web.
"""
