-- Opens a file of a project as somebody would, asks for all there is, and writes the answers as JSON.
local python, folder, answers = os.getenv("LAMINA_PYTHON"), os.getenv("LAMINA_FOLDER"), os.getenv("LAMINA_ANSWERS")
local found = {}

local function finish()
  local file = io.open(answers, "w")
  file:write(vim.fn.json_encode(found))
  file:close()
  vim.lsp.stop_client(vim.lsp.get_active_clients())
  vim.wait(20000, function() return #vim.lsp.get_active_clients() == 0 end)
  vim.cmd("qall!")
end

local function ask(method, line, more)
  local at = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = line - 1, character = 2 } }
  local replies = vim.lsp.buf_request_sync(0, method, vim.tbl_extend("force", at, more or {}), 60000)
  for _, reply in pairs(replies or {}) do
    if reply.error then found.errors = (found.errors or "") .. vim.inspect(reply.error) end
    return reply.result
  end
end

local done, problem = pcall(function()
  vim.cmd("edit " .. folder .. "/base.yaml")
  local id = vim.lsp.start_client({ cmd = { python, "-m", "lamina", "lsp" }, root_dir = folder })
  vim.lsp.buf_attach_client(0, id)
  vim.wait(60000, function() return vim.lsp.buf_is_attached(0, id) and vim.lsp.get_client_by_id(id).initialized end)

  found.hover = ask("textDocument/hover", 2).contents.value
  local places = ask("textDocument/definition", 2)
  found.definition = { uri = places[1].uri, line = places[1].range.start.line + 1 }

  local actions = ask("textDocument/codeAction", 2, {
    range = { start = { line = 1, character = 0 }, ["end"] = { line = 1, character = 1 } },
    context = { diagnostics = {} },
  })
  found.action = actions[1].title
  vim.lsp.buf_request_sync(0, "workspace/executeCommand", actions[1].command, 60000)
  vim.wait(5000, function() return vim.fn.bufnr(folder .. "/web.yaml") >= 0 end)
  local other = vim.fn.bufnr(folder .. "/web.yaml")
  if other >= 0 then
    vim.fn.bufload(other)
    found.edited = vim.api.nvim_buf_get_lines(other, 0, -1, false)
  end

  vim.api.nvim_buf_set_lines(0, 2, 3, false, { "timezone: [" })
  vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end)
  found.diagnostics = vim.tbl_map(function(each) return { line = each.lnum + 1, message = each.message } end, vim.diagnostic.get(0))
end)
if not done then found.problem = tostring(problem) end
finish()
