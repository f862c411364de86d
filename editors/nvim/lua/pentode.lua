-- Starts `pentode lsp` for the five languages. For Neovim 0.7 and later.
--
--   require('pentode').setup()
--   require('pentode').setup({ cmd = { '/opt/pentode/bin/pentode', 'lsp' }, on_attach = ... })
local M = {}

local filetypes = { 'coil', 'paradyn', 'sprokit', 'pdi', 'pinsight' }
local comments = { coil = '# %s', paradyn = '// %s', sprokit = '# %s', pdi = '# %s', pinsight = '# %s' }
local clients = {} -- by project folder

M.cmd = { 'pentode', 'lsp' }

-- root returns the folder of the project file, else of the repository, else of the file.
local function root(file)
  local dir = vim.fn.fnamemodify(file, ':p:h')
  local at = dir
  while true do
    for _, name in ipairs({ 'pentode.toml', '.git' }) do
      if vim.loop.fs_stat(at .. '/' .. name) then
        return at
      end
    end
    local up = vim.fn.fnamemodify(at, ':h')
    if up == at then
      return dir
    end
    at = up
  end
end

-- may_be_ours reports whether a YAML file has a word that every specification tree has, or is in a project that may name it.
local function may_be_ours(buffer, dir)
  if vim.loop.fs_stat(dir .. '/pentode.toml') then
    return true
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 2000, false)) do
    if line:find('data', 1, true) or line:find('types', 1, true) or line:find('plugins', 1, true) or line:find('pdi', 1, true) then
      return true
    end
  end
  return false
end

-- language returns the language of a file according to the server; nil if there is no server.
function M.language(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local dir = root(file)
  if not may_be_ours(buffer, dir) or vim.fn.executable(M.cmd[1]) == 0 then
    return nil
  end
  local uri = vim.uri_from_fname(vim.fn.fnamemodify(file, ':p'))
  local session = ''
  for _, message in ipairs({
    { id = 1, method = 'initialize', params = { capabilities = vim.empty_dict(), rootUri = vim.uri_from_fname(dir) } },
    { id = 2, method = 'workspace/executeCommand', params = { command = 'pentode.language', arguments = { uri } } },
    { id = 3, method = 'shutdown' },
    { method = 'exit' },
  }) do
    message.jsonrpc = '2.0'
    local text = vim.fn.json_encode(message)
    session = session .. 'Content-Length: ' .. #text .. '\r\n\r\n' .. text
  end
  return vim.fn.system(M.cmd, session):match('"language":"(%l*)"')
end

function M.start(options)
  local buffer = vim.api.nvim_get_current_buf()
  local dir = root(vim.api.nvim_buf_get_name(buffer))
  if vim.fn.executable(M.cmd[1]) == 0 then
    vim.notify_once('pentode is not installed: see docs/editors.md', vim.log.levels.WARN)
    return
  end
  if not clients[dir] then
    clients[dir] = vim.lsp.start_client({
      name = 'pentode',
      cmd = M.cmd,
      root_dir = dir,
      on_attach = options.on_attach,
      capabilities = options.capabilities,
      init_options = options.settings,
      on_exit = function()
        clients[dir] = nil
      end,
    })
  end
  if clients[dir] then
    vim.lsp.buf_attach_client(buffer, clients[dir])
  end
  local comment = comments[vim.bo[buffer].filetype]
  if comment then
    vim.bo[buffer].commentstring = comment
  end
end

function M.setup(options)
  options = options or {}
  M.cmd = options.cmd or M.cmd
  vim.api.nvim_create_autocmd('FileType', {
    pattern = filetypes,
    callback = function()
      M.start(options)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    pattern = 'pentode.toml',
    callback = function()
      M.start(options)
    end,
  })
end

return M
