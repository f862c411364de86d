-- Starts `pentode lsp` for the five languages. For Neovim 0.7 and later.
--
--   require('pentode').setup()
--   require('pentode').setup({ cmd = { '/opt/pentode/bin/pentode', 'lsp' }, on_attach = ... })
local M = {}

local filetypes = { 'coil', 'paradyn', 'sprokit', 'pdi', 'pinsight' }
local comments = { coil = '# %s', paradyn = '// %s', sprokit = '# %s', pdi = '# %s', pinsight = '# %s' }
local clients = {} -- by the folder that they serve

-- root is the folder of the project file, else of the repository, else of the file.
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

function M.start(options)
  local buffer = vim.api.nvim_get_current_buf()
  local dir = root(vim.api.nvim_buf_get_name(buffer))
  local cmd = options.cmd or { 'pentode', 'lsp' }
  if vim.fn.executable(cmd[1]) == 0 then
    vim.notify_once('pentode is not installed: see docs/editors.md', vim.log.levels.WARN)
    return
  end
  if not clients[dir] then
    clients[dir] = vim.lsp.start_client({
      name = 'pentode',
      cmd = cmd,
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
