package pipe

// LeadingNumber is the decimal number at the start of a text, which is empty where there is none. The original program
// reads the values of algorithms so: it stops where the number ends, and knows no prefix, so that `010` is ten.
func LeadingNumber(text string, fraction bool) string {
	start := afterSign(text, 0)
	end := afterDigits(text, start)
	found := end > start
	if fraction && end < len(text) && text[end] == '.' {
		behind := afterDigits(text, end+1)
		found = found || behind > end+1
		end = behind
	}
	if !found {
		return ""
	}
	if fraction && end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exponent := afterSign(text, end+1)
		if last := afterDigits(text, exponent); last > exponent {
			end = last
		}
	}
	return text[:end]
}

// afterSign is the place behind a sign at i, if there is one.
func afterSign(text string, i int) int {
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		return i + 1
	}
	return i
}

// afterDigits is the place behind the digits at i.
func afterDigits(text string, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}
