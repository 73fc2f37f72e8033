// Prints the doubles of its arguments, in the locale of the environment, and the shortest text that gives each back.
#define ROSENBLATT_ISA baseline
#include "parse/json/strings_and_numbers.hpp"

#include <clocale>
#include <cstdio>

int main(int count, char** arguments) {
    std::setlocale(LC_ALL, "");
    std::printf("%.1f\n", 0.5);  // shows the locale's point
    for (int i = 1; i < count; ++i) {
        double number = 0;
        char text[64];
        if (rosenblatt::parse_any_number(arguments[i], arguments[i] + std::strlen(arguments[i]), number) != rosenblatt::NumberStatus::ok) return 1;
        std::printf("%a %s\n", number, std::string(rosenblatt::baseline::shortest(number, text, sizeof text)).c_str());
    }
}
