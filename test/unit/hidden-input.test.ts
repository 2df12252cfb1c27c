import { expect, test } from 'vitest';
import { mayBeHidden } from '#dist/workers/pty-host/pty/hidden-input.js';

const hiding = (wasHiding: boolean, isHiding: boolean, text: string) =>
  mayBeHidden(Buffer.from(text), wasHiding, () => isHiding);

test('what a terminal takes while it hides input is hidden', () => {
  expect(hiding(true, true, 'secret')).toBe(true);
  expect(hiding(true, false, 'secret\r')).toBe(true);
});

test('what it takes while a program turns its echo off may be', () => {
  expect(hiding(false, true, 'secret')).toBe(true);
  expect(hiding(false, true, 'read -s pw\nsecret')).toBe(true);
});

test('a line that starts a program which hides what comes next is not', () => {
  expect(hiding(false, true, 'read -s pw\r')).toBe(false);
  expect(hiding(false, true, 'read -s pw\n')).toBe(false);
});

test('nothing is never hidden, and what a terminal echoes throughout is not', () => {
  expect(hiding(false, true, '')).toBe(false);
  expect(hiding(true, true, '')).toBe(false);
  expect(hiding(false, false, 'ls')).toBe(false);
});
