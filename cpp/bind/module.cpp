// The module _native: instruction sets, random numbers, and everything that the other binding files define.
#include "bind/arrays.hpp"
#include "core/random.hpp"
#include "isa/dispatch.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {

void bind_rows(Module& m);
void bind_labels(Module& m);
void bind_decisions(Module& m);
void bind_numbers(Module& m);
void bind_small_weights(Module& m);
void bind_learner(Module& m);
void bind_words(Module& m);
void bind_dual_perceptron(Module& m);
void bind_support_pairs(Module& m);
void bind_certify(Module& m);
void bind_parse(Module& m);
void bind_json(Module& m);
void bind_table_rows(Module& m);
void bind_cache_pages(Module& m);
void bind_calibrate(Module& m);
void bind_cross_validation(Module& m);
void bind_label_leaks(Module& m);

namespace {

std::vector<std::string> instruction_set_names() {
    const std::vector<const char*> names = instruction_sets();
    return {names.begin(), names.end()};
}

void choose_instruction_set() {
    const char* const name = std::getenv("ROSENBLATT_ISA");
    if (!name || !*name || use_instruction_set(name)) return;
    std::string available;
    for (const std::string& other : instruction_set_names()) available += (available.empty() ? "" : ", ") + other;
    throw nb::import_error(("ROSENBLATT_ISA=" + std::string(name) + " is not among the instruction sets of this machine: " + available).c_str());
}

// The module's functions release and take the interpreter's lock in a way that works only in the main interpreter.
void refuse_subinterpreter() {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
        throw nb::import_error("rosenblatt does not run in a subinterpreter: import it in the main one, or in a process of its own.");
}

auto make_order(std::uint64_t state, std::size_t n, bool replace) {
    Random random{state};
    std::uint32_t* order;
    auto result = new_array(n, order);
    if (replace) {
        random.sample(order, n, n);
    } else {
        for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
        native().rows->shuffle(random, order, n);
    }
    return std::make_pair(result, random.state);
}

auto make_uniform(std::uint64_t state, std::size_t n) {
    Random random{state};
    double* numbers;
    auto result = new_array(n, numbers);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = random.uniform();
    return std::make_pair(result, random.state);
}

// For what Python computes: the floating-point environment of the core within a `with`. Bound without the guard of the other
// entries, which would restore the host's at the end of each call.
class UsualFloats {
public:
    void enter() { environment_.emplace(); }
    void exit() { environment_.reset(); }

private:
    std::optional<FloatEnvironment> environment_;
};

}  // namespace

NB_MODULE(_native, module) {
    nb::set_leak_warnings(false);  // what threads and reference cycles keep alive at exit is not a leak
    refuse_subinterpreter();
    choose_instruction_set();
    nb::class_<UsualFloats>(module, "UsualFloats")
        .def(nb::init<>())
        .def("__enter__", &UsualFloats::enter)
        .def("__exit__", [](UsualFloats& floats, nb::handle, nb::handle, nb::handle) { floats.exit(); }, "kind"_a.none(), "error"_a.none(),
             "traceback"_a.none());
    Module m(module);
    m.def("instruction_set", [] { return std::string(native().name); });
    m.def("instruction_sets", &instruction_set_names);
    m.def("random_order", &make_order, "state"_a, "n"_a, "replace"_a);
    m.def("random_uniform", &make_uniform, "state"_a, "n"_a);
    bind_rows(m);
    bind_cross_validation(m);
    bind_label_leaks(m);
    bind_labels(m);
    bind_decisions(m);
    bind_numbers(m);
    bind_small_weights(m);
    bind_learner(m);
    bind_words(m);
    bind_dual_perceptron(m);
    bind_support_pairs(m);
    bind_certify(m);
    bind_parse(m);
    bind_json(m);
    bind_table_rows(m);
    bind_cache_pages(m);
    bind_calibrate(m);
}

}  // namespace rosenblatt
