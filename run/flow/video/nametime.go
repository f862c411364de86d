package video

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeOf reads the time that survey cameras write into the names of their images, in seconds since
// 1970. These forms are known:
//
//	CHESS_FL1_C_160407_234502.428_COLOR-8-BIT.JPG
//	CHESS2016_N94S_FL23_P__20160518012412.111GMT_THERM-16BIT.PNG
//	…_20190507_004346.455104…
//	20151023.200145.662.017459.png
//	00231.00232.20171025.182621.170.004021.tif
//	201503.20150517.105551974.76450.png
func timeOf(name string) (float64, error) {
	words := strings.Split(name, "_")
	dots := strings.Split(name, ".")
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	switch {
	case words[0] == "CHESS" && len(at(words, 3)) > 5 && len(at(words, 4)) > 9:
		return instant(name, "20"+words[3][:6], words[4][:6], words[4][7:10])
	case strings.HasPrefix(words[0], "CHESS"):
		for _, i := range []int{4, 5} {
			if w := at(words, i); len(w) >= 21 && w[18:21] == "GMT" {
				return instant(name, w[:8], w[8:14], w[15:18])
			}
		}
	}
	for i := 0; i+1 < len(words) && len(words) > 2; i++ {
		if day, clock := words[i], words[i+1]; len(day) == 8 && day[0] == '2' && len(clock) >= 10 && clock[6] == '.' {
			part := clock[7:10]
			if len(clock) >= 13 {
				part = clock[7:13]
			}
			return instant(name, day, clock[:6], part)
		}
	}
	switch {
	case len(dots) > 3 && len(dots[0]) == 8 && len(dots[1]) == 6 && len(dots[2]) >= 3:
		return instant(name, dots[0], dots[1], dots[2][:3])
	case len(dots) > 6 && len(dots[2]) == 8 && len(dots[3]) == 6 && len(dots[4]) >= 3:
		return instant(name, dots[2], dots[3], dots[4][:3])
	case len(dots) > 3 && len(dots[0]) == 6 && len(dots[1]) == 8 && len(dots[2]) >= 9:
		return instant(name, dots[1], dots[2][:6], dots[2][6:9])
	}
	return 0, unknownTime(name)
}

// instant returns the time given by a day, a time of day and a fraction of a second.
func instant(name, day, clock, part string) (float64, error) {
	t, err := time.Parse("20060102150405", day+clock)
	fraction, bad := strconv.ParseFloat("0."+part, 64)
	if err != nil || bad != nil {
		return 0, unknownTime(name)
	}
	return float64(t.Unix()) + fraction, nil
}

func unknownTime(name string) error {
	return fmt.Errorf("the name of the image `%s` has no time in a known form: expected a day and a time of day, as in `_20190507_004346.455`", name)
}
