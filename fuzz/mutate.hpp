// A small fuzzer: inputs are mutated at random, and a target is run on each. Built with the address and
// undefined-behaviour sanitizers, which end the program at the first fault. The same seed repeats the same run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/memory/memory_pool.cpp"
#include "core/hash_secret.cpp"

// Where memory was allocated is not recorded: that takes longer than the parsers do. A finding is repeated with its seed.
extern "C" inline __attribute__((used)) const char* __asan_default_options() { return "malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"; }

namespace fuzz {

struct Random {
    std::uint64_t state;
    std::uint64_t next() {  // splitmix64
        std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return n ? next() % n : 0; }
};

// One mutation: a byte replaced, a piece removed, doubled or copied from another input, or a word of the format inserted.
inline void mutate(std::string& text, Random& random, const std::vector<std::string>& words, const std::vector<std::string>& corpus) {
    const std::size_t at = random.below(text.size() + 1), length = random.below(16);
    switch (random.below(7)) {
        case 0: if (at < text.size()) text[at] = static_cast<char>(random.next()); break;
        case 1: if (at < text.size()) text.erase(at, length); break;
        case 2: if (at < text.size()) text.insert(at, text.substr(at, length)); break;
        case 3: text.insert(at, words[random.below(words.size())]); break;
        case 4: {
            const std::string& other = corpus[random.below(corpus.size())];
            text.insert(at, other.substr(random.below(other.size() + 1), 1 + random.below(200)));
            break;
        }
        case 5: if (at < text.size()) text[at] = "0123456789:|.-+eE# \n\r\t"[random.below(23)]; break;
        default: text.insert(at, std::string(random.below(40), "0 :\n9"[random.below(5)]));
    }
    if (text.size() > 20000) text.resize(20000);
}

// What inputs are: whole files, or lines of which a few are as good as many. Few lines run fast, so most inputs are short.
enum class Inputs { whole, lines };

inline std::string some_lines(const std::string& text, Random& random) {
    const std::size_t at = random.below(text.size() + 1), newline = text.rfind('\n', at);
    return text.substr(newline == text.npos ? 0 : newline + 1, 1 + random.below(120));
}

// Adds the files of a folder, in the order of their names, so that the same seed repeats the same run.
inline void add_files(const char* folder, std::vector<std::string>& corpus) {
    if (!std::filesystem::is_directory(folder)) return;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
}

// Runs target(text, random) for some seconds. The arguments of main: seconds, seed, a folder with more inputs to begin with.
template <class Target>
int run(int count, char** arguments, std::vector<std::string> corpus, const std::vector<std::string>& words, Inputs inputs, Target target) {
    if (count > 3) add_files(arguments[3], corpus);
    const double seconds = count > 1 ? std::atof(arguments[1]) : 10;
    Random random{count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1};
    std::vector<std::string> pool = corpus;
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t runs = 0;
    for (const std::string& text : corpus) target(text, random);
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
        for (int batch = 0; batch < 100; ++batch, ++runs) {
            const std::string& chosen = pool[random.below(pool.size())];
            std::string text = inputs == Inputs::whole || random.below(64) == 0 ? chosen : some_lines(chosen, random);
            for (std::size_t changes = 1 + random.below(4); changes > 0; --changes) mutate(text, random, words, corpus);
            target(text, random);
            if (random.below(50) == 0) {  // some are kept, so that mutations add up
                if (pool.size() < 200) pool.push_back(text);
                else pool[corpus.size() + random.below(pool.size() - corpus.size())] = text;
            }
        }
    }
    std::printf("%llu executions, no findings\n", static_cast<unsigned long long>(runs));
    return 0;
}

[[noreturn]] inline void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "FOUND: %s\n%zu bytes:\n", what, text.size());
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::abort();
}

}  // namespace fuzz
