-- File types of the five languages. Many programs use YAML, so `pentode` decides about such a file.
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
  callback = function(event)
    if require('pentode').language(event.buf) == 'pdi' then
      vim.bo[event.buf].filetype = 'pdi'
    end
  end,
})
