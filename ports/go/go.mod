module snoflax

go 1.19
