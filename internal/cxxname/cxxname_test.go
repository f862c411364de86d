package cxxname_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/cxxname"
)

// TestShort checks the short forms of groups of names.
func TestShort(t *testing.T) {
	for what, pairs := range map[string][][2]string{
		"one kernel": {
			{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)", "vectorized_elementwise_kernel"},
		},
		"kernels that differ in a functor": {
			{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)", "vectorized_elementwise_kernel<CUDAFunctor_add>"},
			{"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)", "vectorized_elementwise_kernel<FillFunctor>"},
			{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)", "reduce_kernel"},
		},
		"kernels that differ in the type of a functor": {
			{"void at::native::unrolled<at::native::add<float>, 4>(int)", "unrolled<add<float>>"},
			{"void at::native::unrolled<at::native::add<double>, 4>(int)", "unrolled<add<double>>"},
		},
		"kernels that no place alone tells apart": {
			{"void k<float, 1>(int)", "k<float, 1>"}, {"void k<float, 2>(int)", "k<float, 2>"}, {"void k<double, 1>(int)", "k<double, 1>"},
		},
		"cutlass": {
			{"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4::Params)", "Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>"},
			{"void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_64x1_tn_align8>(cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_64x1_tn_align8::Params)", "Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_64x1_tn_align8>"},
			{"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
		},
		"overloads": {
			{"relax(double*, int)", "relax(double*)"}, {"relax(float*, int)", "relax(float*)"}, {"void residual(double const*, int)", "residual"},
		},
		"constant and not": {
			{"Grid::at(int)", "at"}, {"Grid::at(int) const", "at(const)"},
		},
		"instances of a function": {{"void foo<int>(int*)", "foo<int>"}, {"void foo<float>(float*)", "foo<float>"}},
		"methods of two classes":  {{"heat::Solver::run(int)", "Solver::run"}, {"heat::Writer::run(int)", "Writer::run"}},
		"namespaces":              {{"a::x::f(int)", "a::f"}, {"b::x::f(int)", "b::f"}},
		"nested namespaces":       {{"a::x::f(int)", "a::x::f"}, {"b::x::f(int)", "b::x::f"}, {"a::y::f(int)", "a::y::f"}},
		"methods of a template":   {{"Solver<float>::run()", "Solver<float>::run"}, {"Solver<double>::run()", "Solver<double>::run"}},
		"anonymous":               {{"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 4>(float*)", "CatArrayBatchedCopy"}},
		"a functor and lambdas": {
			{"Functor::operator()(int) const", "Functor::operator()"},
			{"heat::relax(double*, int)::{lambda(int)#1}::operator()(int) const", "relax::{lambda#1}"},
			{"heat::relax(double*, int)::{lambda(int)#2}::operator()(int) const", "relax::{lambda#2}"},
			{"main::$_0::operator()(int) const", "main::$_0"},
			{"foo()::'lambda'(int)::operator()(int) const", "foo::{lambda}"},
		},
		"operators": {
			{"bool ns::operator< <int>(ns::A<int> const&, ns::A<int> const&)", "operator<"}, {"ns::operator<<(std::ostream&, ns::A const&)", "operator<<"},
			{"ns::A::operator->() const", "operator->"}, {"ns::A::operator bool() const", "operator bool"}, {"operator new(unsigned long)", "operator new"},
			{"ns::A::operator=(ns::A&&)", "operator="},
		},
		"types before the name": {
			{"float* ns::make<float>(int)", "make"}, {"std::enable_if<(bool)1, int>::type ns::only<int>(int)", "only"}, {"char const* name<int>()", "name"},
			{"unsigned long count<int>(int)", "count"},
		},
		"clones and tags": {{"relax(double*) [clone ._omp_fn.0]", "relax"}, {"std::string ns::text[abi:cxx11](int)", "text"}},
		"what is no name of C++": {
			{"time step", "time step"}, {"read (cold)", "read (cold)"}, {"relax (solver.c:88)", "relax (solver.c:88)"}, {"<b>bold", "<b>bold"}, {"a < b", "a < b"},
			{"halo.c:7", "halo.c:7"}, {"", ""}, {"MPI_Send", "MPI_Send"}, {"unsigned long", "unsigned long"}, {"f(", "f("}, {"f<", "f<"}, {"::", "::"}, {"...", "..."},
			{"jacobi._omp_fn.0", "jacobi._omp_fn.0"}, {"日本 語", "日本 語"},
		},
		"a name in backquotes": {
			{"MPI_Recv halo.cpp:7 in `void halo::exchange<double>(double*, int)`", "MPI_Recv halo.cpp:7 in `exchange`"},
			{"solver.cpp:9 in `void heat::relax<double>(double*)`", "solver.cpp:9 in `relax<double>`"},
			{"solver.cpp:9 in `void heat::relax<float>(float*)`", "solver.cpp:9 in `relax<float>`"},
		},
		"a plain name that a name would be shortened to": {{"ns::step(int)", "ns::step"}, {"step", "step"}},
	} {
		names, want := []string{}, []string{}
		for _, p := range pairs {
			names, want = append(names, p[0]), append(want, p[1])
		}
		have := cxxname.Short(names)
		for i := range want {
			if have[i] != want[i] {
				t.Errorf("%s: %s is shortened to %s, want %s", what, names[i], have[i], want[i])
			}
		}
	}
}

// TestSame: the same name given twice gets the same short form.
func TestSame(t *testing.T) {
	have := cxxname.Short([]string{"void f<int>(int)", "void g<int>(int)", "void f<int>(int)", "void f<char>(int)"})
	if want := []string{"f<int>", "g", "f<int>", "f<char>"}; !slices.Equal(have, want) {
		t.Errorf("got %q, want %q", have, want)
	}
}

// TestNested: the cost of nested names is linear in their length.
func TestNested(t *testing.T) {
	var names []string
	for _, end := range []string{"a", "b", "a(int)"} {
		names = append(names, strings.Repeat("x::f<", 200)+end+strings.Repeat(">", 200))
	}
	have := cxxname.Short(names)
	if slices.Contains(have, "f") || len(have[0]) > 500*4 {
		t.Errorf("names that differ in their innermost argument are shortened to %.300q", have)
	}
}

// FuzzShort checks that different names get different short forms, and equal names equal ones.
func FuzzShort(f *testing.F) {
	f.Add("void a::f<int>(int)", "void b::f<int>(int)", "f")
	f.Add("a::{lambda(int)#1}::operator()(int) const", "x in `f<int>()`", "operator<<(")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		names := []string{a, b, c}
		short := cxxname.Short(names)
		for i := range names {
			for j := range names {
				if (names[i] == names[j]) != (short[i] == short[j]) {
					t.Errorf("%q and %q are shortened to %q and %q", names[i], names[j], short[i], short[j])
				}
			}
		}
	})
}
