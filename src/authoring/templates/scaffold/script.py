# __TITLE__
# The input is JSON in the file after --input; the output goes as JSON into the file after --output.
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--input")
parser.add_argument("--output")
files = parser.parse_args()
with open(files.input, encoding="utf-8") as file:
    given = json.load(file)

# The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
output = __OUTPUT__

with open(files.output, "w", encoding="utf-8") as file:
    json.dump(output, file)
