-- Opens one file of each language and requests findings, hover, completion and
-- rename. It prints one line for each answer and exits with an error if an answer
-- does not come.
--
--   nvim --headless -u editors/nvim/test/session.lua  (FOLDER and PENTODE in the environment)
vim.opt.swapfile = false
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd('runtime! ftdetect/*.lua')
require('pentode').setup({ cmd = { vim.env.PENTODE, 'lsp' } })

local function say(...)
  io.stdout:write(table.concat(vim.tbl_map(tostring, { ... }), ' '), '\n')
end

local function fail(...)
  say('FAILED', ...)
  vim.cmd('cquit')
end

local function ask(method, params)
  local answers, err = vim.lsp.buf_request_sync(0, method, params, 20000)
  if not answers then
    fail(method, err)
  end
  for _, a in pairs(answers) do
    if a.err then
      fail(method, vim.inspect(a.err))
    end
    return a.result
  end
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, 'utf-16')
end

local files = {
  { 'a.coilcfg', hover = { 4, 1 }, rename = { 8, 1 } },
  { 'a.psdl', hover = { 2, 15 }, completion = { 2, 9 }, rename = { 2, 15 } },
  { 'a.pipe', hover = { 2, 7 }, rename = { 1, 9 } },
  { 'a.yml', hover = { 2, 3 }, completion = { 2, 8 }, rename = { 2, 3 } },
  { 'a.pinsight', hover = { 2, 6 }, rename = { 4, 10 } },
}

-- types prints the file type of each other file of the folder.
local function types()
  for _, file in ipairs(vim.fn.glob(vim.env.FOLDER .. '/other/*', false, true)) do
    vim.cmd('edit ' .. file)
    say('other/' .. vim.fn.fnamemodify(file, ':t'), 'type', vim.bo.filetype == '' and 'none' or vim.bo.filetype)
  end
end

local function session()
  types()
  for _, f in ipairs(files) do
    vim.cmd('edit ' .. vim.env.FOLDER .. '/' .. f[1])
    if not vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20) then
      fail(f[1], 'has no findings')
    end
    say(f[1], 'finding', vim.diagnostic.get(0)[1].code)
    local hover = ask('textDocument/hover', at(unpack(f.hover)))
    say(f[1], 'hover', hover and hover.contents.value:match('[^\n]+') or 'nothing')
    local completion = ask('textDocument/completion', at(unpack(f.completion or f.hover)))
    say(f[1], 'completion', #completion.items)
    local params = at(unpack(f.rename))
    params.newName = 'renamed'
    local edit = ask('textDocument/rename', params)
    vim.lsp.util.apply_workspace_edit(edit, 'utf-16')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    say(f[1], 'rename', select(2, text:gsub('renamed', '')))
  end
  vim.cmd('qall!')
end

vim.defer_fn(function()
  local ok, err = xpcall(session, debug.traceback)
  if not ok then
    fail(err)
  end
end, 50)
