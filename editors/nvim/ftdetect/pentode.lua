-- File types of the five languages. YAML files are specification trees only
-- where they have the sections of one.
local function types(patterns, filetype)
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    pattern = patterns,
    callback = function()
      vim.bo.filetype = filetype
    end,
  })
end

types({ '*.coilcfg' }, 'coil')
types({ '*.psdl', '*paradyn.rc', '*paradynrc' }, 'paradyn')
types({ '*.pipe', '*.cluster', '*.pipe.in' }, 'sprokit')
types({ '*.pinsight', '*trace_config*.txt' }, 'pinsight')

vim.api.nvim_create_autocmd({ 'BufRead' }, {
  pattern = { '*.yml', '*.yaml' },
  callback = function()
    for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, 200, false)) do
      if line:match('^metadata:') or line:match('^plugins:') or line:match('^pdi:') then
        vim.bo.filetype = 'pdi'
        return
      end
    end
  end,
})
