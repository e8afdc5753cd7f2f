import { expect, test } from 'vitest';
import { summaryOf } from '../../../src/authoring/scaffold/script-text.js';

test.each([
  ['#!/bin/sh\n# Dumps it.\n# More.\necho 1\n', 'Dumps it.'],
  ['#!/usr/bin/env python3\n"""Counts things.\n\nMore."""\n', 'Counts things.'],
  ['/*\n * Copyright 2026 Acme.\n * All rights reserved.\n */\n\n// Converts it.\n', 'Converts it.'],
  ['#!/bin/sh\n# Author: Ann\n# job.sh - Rotates logs\n', 'Rotates logs'],
  ['#!/bin/sh\n# Description: Rotates logs\n', 'Rotates logs'],
  ['#!/bin/bash\nset -eu\n# Rotates logs.\n', 'Rotates logs.'],
  ['#!/bin/sh\n# job.sh\n# usage: job.sh FILE\necho 1\n# Not at the top.\n', undefined],
  ['echo 1\n# Not at the top.\n', undefined],
  ['', undefined],
])('the summary of %j is its first descriptive line', (text, summary) => {
  expect(summaryOf(text, 'job.sh')).toBe(summary);
});
