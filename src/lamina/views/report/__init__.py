"""The page: a result, its layers and its history in one file that a browser opens from disk.

How its data is made, from the outside in:

- `build_html` puts the files in `page/` and the data of a result into one document; `page_data` collects that data.
- `views` says what a reader picks from; `output_rows` makes the rows of each such view, and `open_row` is one whose
  children are being collected. `row_content` and `value_text` are what a row shows, `row_size` about what it takes.
- `shown_history` reads how a value came about; `layer_status` is the outcome for each layer, `layer_record` which
  layers a view has, and `layer_order` in which order. `source_links` are the addresses of sources on the web.
- `interning` holds everything that occurs many times once, and gives it a number.

That would do for a small page. In a fleet, nearly all of it follows from what outputs have in common:

- `outline_parts` is how a mapping was made from those of sources; `shared_parts` finds these parts, and by them what
  outputs share. `step_numbers` says which steps are shown alike.
- `history_patterns` are histories without places and values; `pattern_rows` makes rows that name a pattern, and the
  parts to fill it in from.
- `mapping_stacks` goes further: of a mapping that steps merged key by key the page gets the parts alone, and makes all
  rows itself. `stack_walk` makes sure that everything in it has a pattern, `part_members` lists what the parts have,
  `list_templates` are the rows of lists without their items. The walk and the listing see every value: the C extension
  does both.

The scripts in `page/` undo this: `tables.js` fills in rows by patterns, `stacks.js` makes those of stacks. What is not
shared has a row with everything in it; tests compare each row with the one that a page without sharing has.
"""
