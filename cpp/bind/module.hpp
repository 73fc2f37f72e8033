// The module and its classes, as all binding files define them. Whatever they define runs in the floating-point environment
// of core/float_environment.hpp, so that no result depends on the host's.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <utility>

#include "core/float_environment.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rosenblatt {

using Entry = nb::call_guard<FloatEnvironment>;

// While it lives, other threads may use Python. If the interpreter exits meanwhile, Python up to 3.13 unwinds the stack of
// a thread that asks for the lock again; in C++ that calls std::terminate, and the process aborts. Instead such a thread
// waits here until the process has ended, as it does from Python 3.14 on.
class WithoutGil {
public:
    WithoutGil() = default;
    WithoutGil(const WithoutGil&) = delete;
    ~WithoutGil() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) pause();
        }
    }

private:
    PyThreadState* const state_ = PyEval_SaveThread();
};

class Module {
public:
    explicit Module(nb::module_& module) : module_(module) {}

    template <class Function, class... Extra>
    void def(const char* name, Function&& function, const Extra&... extra) {
        module_.def(name, std::forward<Function>(function), extra..., Entry());
    }

private:
    template <class T>
    friend class Class;
    nb::module_& module_;
};

template <class T>
class Class {
public:
    Class(Module& module, const char* name) : class_(module.module_, name) {}

    template <class Function, class... Extra>
    Class& def(const char* name, Function&& function, const Extra&... extra) {
        class_.def(name, std::forward<Function>(function), extra..., Entry());
        return *this;
    }
    template <class... Arguments, class... Extra>
    Class& def(nb::init<Arguments...> init, const Extra&... extra) {
        class_.def(std::move(init), extra..., Entry());
        return *this;
    }
    template <class Function, class... Extra>
    Class& def_static(const char* name, Function&& function, const Extra&... extra) {
        class_.def_static(name, std::forward<Function>(function), extra..., Entry());
        return *this;
    }
    template <class Getter, class... Extra>
    Class& def_prop_ro(const char* name, Getter&& getter, const Extra&... extra) {
        class_.def_prop_ro(name, std::forward<Getter>(getter), extra..., Entry());
        return *this;
    }

private:
    nb::class_<T> class_;
};

}  // namespace rosenblatt
