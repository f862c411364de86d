# Answers each length with a bar of hashes. A record is {"length": 7}.
while read -r record; do
	n=${record##*:}
	n=${n%\}}
	bar=
	while [ "$n" -gt 0 ]; do
		bar="$bar#"
		n=$((n - 1))
	done
	echo "{\"text\": \"$bar\"}"
done
