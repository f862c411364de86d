;;; pentode.el --- The five languages of Pentode  -*- lexical-binding: t; -*-

;; For Emacs 29 and later, whose eglot starts the server; or Emacs 28 with the
;; package eglot (Debian 12: elpa-eglot):
;;
;;   (load "/path/to/pentode/editors/emacs/pentode.el")
;;   (add-hook 'pentode-mode-hook #'eglot-ensure)

;;; Code:

(defgroup pentode nil
  "The configuration languages of a scientific run."
  :group 'languages)

(defcustom pentode-command '("pentode" "lsp")
  "How the language server is started."
  :type '(repeat string))

(define-derived-mode pentode-mode prog-mode "Pentode"
  "What the five languages share."
  (setq-local comment-start "# ")
  (setq-local comment-end ""))

(define-derived-mode pentode-coil-mode pentode-mode "COIL")
(define-derived-mode pentode-sprokit-mode pentode-mode "sprokit")
(define-derived-mode pentode-pdi-mode pentode-mode "PDI")
(define-derived-mode pentode-pinsight-mode pentode-mode "PInsight")
(define-derived-mode pentode-paradyn-mode pentode-mode "Paradyn"
  (setq-local comment-start "// "))

(add-to-list 'auto-mode-alist '("\\.coilcfg\\'" . pentode-coil-mode))
(add-to-list 'auto-mode-alist '("\\.psdl\\'" . pentode-paradyn-mode))
(add-to-list 'auto-mode-alist '("\\.\\(?:pipe\\|cluster\\|pipe\\.in\\)\\'" . pentode-sprokit-mode))
(add-to-list 'auto-mode-alist '("\\(?:\\.pinsight\\|trace_config[^/]*\\.txt\\)\\'" . pentode-pinsight-mode))

(defun pentode-tree-p ()
  "Whether the buffer is a YAML file with the sections of a specification tree."
  (and buffer-file-name
       (string-match-p "\\.ya?ml\\'" buffer-file-name)
       (save-excursion
         (goto-char (point-min))
         (re-search-forward "^\\(?:metadata\\|plugins\\|pdi\\):" 10000 t))))

(add-to-list 'magic-mode-alist '(pentode-tree-p . pentode-pdi-mode))

(defvar eglot-server-programs)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '((pentode-coil-mode :language-id "coil")
                       (pentode-paradyn-mode :language-id "paradyn")
                       (pentode-sprokit-mode :language-id "sprokit")
                       (pentode-pdi-mode :language-id "pdi")
                       (pentode-pinsight-mode :language-id "pinsight"))
                     (lambda (&rest _) pentode-command))))

(provide 'pentode)
;;; pentode.el ends here
