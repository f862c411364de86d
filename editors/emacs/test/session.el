;;; session.el --- A session of Emacs with the server  -*- lexical-binding: t; -*-

;; Opens one file of each language and requests findings, hover, completion and
;; rename. It prints one line for each answer and ends with an error if an answer
;; does not come.
;;
;;   emacs --batch -l editors/emacs/test/session.el  (FOLDER and PENTODE in the environment)

;;; Code:

(package-initialize)
(require 'eglot)
(load (expand-file-name "../pentode.el" (file-name-directory load-file-name)))

(defun say (&rest words) (princ (concat (mapconcat (lambda (w) (format "%s" w)) words " ") "\n")))

(defun at (line column)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char column))

(defun ask (method &rest more)
  (jsonrpc-request (eglot-current-server) method (append (eglot--TextDocumentPositionParams) more)))

;; first-finding waits for the findings that the server pushes.
(defun first-finding ()
  (let ((tries 0))
    (while (and (null (flymake-diagnostics)) (< tries 400))
      (accept-process-output nil 0.05)
      (flymake-start)
      (setq tries (1+ tries))))
  (flymake-diagnostic-text (car (flymake-diagnostics))))

(setq pentode-command (list (getenv "PENTODE") "lsp"))

;; The mode of every other file, and the faces of some words, to check its colours.
(dolist (path (directory-files (expand-file-name "other" (getenv "FOLDER")) t "^[^.]"))
  (find-file path)
  (say (concat "other/" (file-name-nondirectory path)) "type" major-mode))

(defun coloured (word)
  "The face of the first WORD in the buffer."
  (goto-char (point-min))
  (search-forward word)
  (or (get-text-property (match-beginning 0) 'face) 'none))

(dolist (file '(("a.coilcfg" "Target" "PU" "# a comment")
                ("a.psdl" "tunable_constant" "\"maxEvla\"" "command")
                ("a.pipe" "process" "numbers" "edn")
                ("a.yml" "metadata" "rows" "$rows")
                ("a.pinsight" "OpenMP" "omp_work" "2")
                ("other/pentode.toml" "ignore" "\"pinsight")))
  (find-file (expand-file-name (car file) (getenv "FOLDER")))
  (font-lock-set-defaults)
  (font-lock-fontify-region (point-min) (point-max))
  (dolist (word (cdr file))
    (when (save-excursion (goto-char (point-min)) (search-forward word nil t))
      (say (car file) "colour" word (coloured word)))))

(dolist (file '(("a.coilcfg" (4 1) (4 1) (8 1))
                ("a.psdl" (2 15) (2 9) (2 15))
                ("a.pipe" (2 7) (2 7) (1 9))
                ("a.yml" (2 3) (2 8) (2 3))
                ("a.pinsight" (2 6) (2 6) (4 10))))
  (let ((name (car file)))
    (find-file (expand-file-name name (getenv "FOLDER")))
    (unless (eglot-current-server)
      (apply #'eglot (eglot--guess-contact)))
    (say name "finding" (first-finding))
    (apply #'at (nth 1 file))
    (say name "hover" (if (plist-get (ask :textDocument/hover) :contents) "text" "nothing"))
    (apply #'at (nth 2 file))
    (say name "completion" (length (plist-get (ask :textDocument/completion) :items)))
    (apply #'at (nth 3 file))
    (eglot-rename "renamed")
    (say name "rename" (how-many "renamed" (point-min) (point-max)))
    (set-buffer-modified-p nil)))

;;; session.el ends here
