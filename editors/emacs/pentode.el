;;; pentode.el --- The five languages of Pentode  -*- lexical-binding: t; -*-

;; For Emacs 29 and later, whose eglot starts the server; or Emacs 28 with the
;; package eglot (Debian 12: elpa-eglot):
;;
;;   (load "/path/to/pentode/editors/emacs/pentode.el")
;;   (add-hook 'pentode-mode-hook #'eglot-ensure)
;;
;; The modes of the five languages have their own colours. pentode.toml uses the colours of
;; `conf-toml-mode', and runs the same hook.

;;; Code:

(require 'conf-mode)

(defgroup pentode nil
  "The configuration languages of a scientific run."
  :group 'languages)

(defcustom pentode-command '("pentode" "lsp")
  "Command that starts the language server."
  :type '(repeat string))

(define-derived-mode pentode-mode prog-mode "Pentode"
  "Parent mode of the five languages."
  (setq-local comment-start "# ")
  (setq-local comment-end ""))

(defmacro pentode--language-mode (name title comment &rest colours)
  "Define the mode NAME, called TITLE, whose comments begin with COMMENT.
COLOURS are font lock keywords.  Comments and strings depend on the
place in a line, so syntax tables are not used."
  (declare (indent 3))
  `(define-derived-mode ,name pentode-mode ,title
     (setq-local comment-start ,comment)
     (setq-local font-lock-defaults '(,colours t))))

(pentode--language-mode pentode-coil-mode "COIL" "# "
  ("^[ \t]*\\(@include\\)\\>" 1 font-lock-preprocessor-face)
  ("^[ \t]*\\[\\([^]\n]*\\)\\]?" 1 font-lock-type-face)
  ("^[ \t]*\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*=" 1 font-lock-variable-name-face)
  ("\"[^\"\n]*\"?" . font-lock-string-face)
  ("\\<\\(?:true\\|false\\)\\>" . font-lock-constant-face)
  ("^[ \t]*[#;].*$" 0 font-lock-comment-face t))

(pentode--language-mode pentode-paradyn-mode "Paradyn" "// "
  ("^[ \t]*\\(daemon\\|process\\|visi\\|tunable_constant\\|list\\)\\>" 1 font-lock-keyword-face)
  ("\\<\\(command\\|host\\|daemon\\|name\\|args\\|flavor\\|user\\|dir\\)\\>" 1 font-lock-variable-name-face)
  ("\\<[0-9]+\\(?:\\.[0-9]+\\)?\\>" . font-lock-constant-face)
  ("\"[^\"\n]*\"?" 0 font-lock-string-face t)
  ("^[ \t]*//.*$" 0 font-lock-comment-face t))

(pentode--language-mode pentode-sprokit-mode "sprokit" "# "
  ("^[ \t]*\\(include\\)[ \t]+\\([^ \t\n]+\\)" (1 font-lock-preprocessor-face) (2 font-lock-string-face))
  ("^[ \t]*\\(process\\|cluster\\)[ \t]+\\([^ \t\n:]+\\)" (1 font-lock-keyword-face) (2 font-lock-function-name-face))
  ("^[ \t]*\\(config\\|block\\)[ \t]+\\([^ \t\n]+\\)" (1 font-lock-keyword-face) (2 font-lock-function-name-face))
  ("^[ \t]*\\(endblock\\|connect\\|imap\\|omap\\|relativepath\\)\\>" 1 font-lock-keyword-face)
  ("\\<\\(from\\|to\\)[ \t]+[^ \t\n]+\\." 1 font-lock-keyword-face)
  ("::[ \t]*\\([^ \t\n]+\\)" 1 font-lock-type-face)
  ("^[ \t]*\\(:?[[:alnum:]_:/.-]+\\)\\(?:\\[[^]\n]*\\]\\)?[ \t]*:?=" 1 font-lock-variable-name-face)
  ("\\$[A-Z]+{[^}\n]*}" 0 font-lock-builtin-face t)
  ("^[ \t]*#.*$" 0 font-lock-comment-face t))

(pentode--language-mode pentode-pdi-mode "PDI" "# "
  ("^\\(types\\|metadata\\|data\\|plugins\\|logging\\|include\\|plugin_path\\|seal\\|pdi\\):" 1 font-lock-keyword-face)
  ("\\([A-Za-z0-9_.+-]+\\):\\(?:[ \t]\\|$\\)" 1 font-lock-variable-name-face)
  ("\"[^\"\n]*\"\\|'[^'\n]*'" 0 font-lock-string-face t)
  ("\\${?[A-Za-z_][A-Za-z0-9_]*}?" 0 font-lock-builtin-face t)
  ("\\(?:^\\|[ \t]\\)\\(#.*\\)$" 1 font-lock-comment-face t))

(pentode--language-mode pentode-pinsight-mode "PInsight" "# "
  ("^[ \t]*\\[\\(SET\\|RESET\\|REMOVE\\)\\>" 1 font-lock-keyword-face)
  ("^[ \t]*\\[\\(?:\\(?:SET\\|RESET\\|REMOVE\\)[ \t]+\\)?\\([^]\n]*\\)\\]?" 1 font-lock-type-face)
  ("^[ \t]*\\([A-Za-z0-9_.]+\\)[ \t]*=" 1 font-lock-variable-name-face)
  ("\\<\\(?:on\\|off\\|OFF\\|STANDBY\\|MONITORING\\|TRACING\\)\\>" . font-lock-constant-face)
  ("#.*$" 0 font-lock-comment-face t))

(define-derived-mode pentode-project-mode conf-toml-mode "Pentode[project]"
  "The project file, pentode.toml."
  (run-mode-hooks 'pentode-mode-hook))

(add-to-list 'auto-mode-alist '("\\.coilcfg\\'" . pentode-coil-mode))
(add-to-list 'auto-mode-alist '("\\.psdl\\'" . pentode-paradyn-mode))
(add-to-list 'auto-mode-alist '("\\.\\(?:pipe\\|cluster\\|pipe\\.in\\)\\'" . pentode-sprokit-mode))
(add-to-list 'auto-mode-alist '("\\(?:\\.pinsight\\|trace_config[^/]*\\.txt\\)\\'" . pentode-pinsight-mode))

(add-to-list 'auto-mode-alist '("/pentode\\.toml\\'" . pentode-project-mode))

(defun pentode--message (&rest members)
  "Return a protocol message with these MEMBERS."
  (let ((text (json-serialize `(:jsonrpc "2.0" ,@members))))
    (format "Content-Length: %d\r\n\r\n%s" (string-bytes text) text)))

(defun pentode--language (file)
  "Return the language of FILE according to the server; nil if there is no server."
  (let ((uri (concat "file://" (url-encode-url (expand-file-name file)))))
    (when (executable-find (car pentode-command))
      (with-temp-buffer
        (insert (pentode--message :id 1 :method "initialize" :params '(:capabilities #s(hash-table)))
                (pentode--message :id 2 :method "workspace/executeCommand"
                                  :params `(:command "pentode.language" :arguments [,uri]))
                (pentode--message :id 3 :method "shutdown")
                (pentode--message :method "exit"))
        (let ((coding-system-for-write 'no-conversion))
          (apply #'call-process-region (point-min) (point-max) (car pentode-command) t t nil (cdr pentode-command)))
        (goto-char (point-min))
        (and (re-search-forward "\"language\":\"\\([a-z]*\\)\"" nil t)
             (match-string 1))))))

(defun pentode-tree-p ()
  "Return non-nil if the buffer is a YAML file with a specification tree.
Many programs use YAML, so the server decides about files that may hold a tree."
  (and buffer-file-name
       (string-match-p "\\.ya?ml\\'" buffer-file-name)
       (or (locate-dominating-file buffer-file-name "pentode.toml")
           (save-excursion
             (goto-char (point-min))
             (re-search-forward "data\\|types\\|plugins\\|pdi" 65536 t)))
       (equal (pentode--language buffer-file-name) "pdi")))

(add-to-list 'magic-mode-alist '(pentode-tree-p . pentode-pdi-mode))

(defvar eglot-server-programs)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '((pentode-coil-mode :language-id "coil")
                       (pentode-paradyn-mode :language-id "paradyn")
                       (pentode-sprokit-mode :language-id "sprokit")
                       (pentode-pdi-mode :language-id "pdi")
                       (pentode-pinsight-mode :language-id "pinsight")
                       (pentode-project-mode :language-id "toml"))
                     (lambda (&rest _) pentode-command))))

(provide 'pentode)
;;; pentode.el ends here
