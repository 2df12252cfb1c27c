import { expect, test } from 'vitest';
import { mayBeHidden } from '#dist/workers/pty-host/pty/hidden-input.js';

const hiding = (wasHiding: boolean, isHiding: boolean, text: string) =>
  mayBeHidden(Buffer.from(text), wasHiding, () => isHiding);

test('input is hidden while its terminal hides input', () => {
  expect(hiding(true, true, 'secret')).toBe(true);
  expect(hiding(true, false, 'secret\r')).toBe(true);
});

test('input taken while a program turns its echo off may be hidden', () => {
  expect(hiding(false, true, 'secret')).toBe(true);
  expect(hiding(false, true, 'read -s pw\nsecret')).toBe(true);
});

test('a line that starts a program which hides the next input is not hidden', () => {
  expect(hiding(false, true, 'read -s pw\r')).toBe(false);
  expect(hiding(false, true, 'read -s pw\n')).toBe(false);
});

test('empty input is never hidden, nor is input that a terminal echoes throughout', () => {
  expect(hiding(false, true, '')).toBe(false);
  expect(hiding(true, true, '')).toBe(false);
  expect(hiding(false, false, 'ls')).toBe(false);
});
