! Regions, marks and knobs in Fortran, as installed.
program traced
  use pentode_trace
  implicit none
  call pentode_region_begin("step")
  call pentode_mark("half")
  call pentode_region_end("step")
  print '(i0)', pentode_knob_int("depth", 4)
end program traced
