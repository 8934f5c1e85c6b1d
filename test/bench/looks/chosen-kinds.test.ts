import { expect, it } from 'vitest';
import { chosenKinds } from './chosen-kinds.ts';

const KINDS = ['environments', 'flows'];

it('the bench of looks measures every kind, or the one that is given', () => {
  expect(chosenKinds(undefined, KINDS)).toEqual(KINDS);
  expect(chosenKinds('flows', KINDS)).toEqual(['flows']);
});

it('a misspelt kind is a sentence that names the kinds', () => {
  expect(chosenKinds('flow', KINDS)).toBe("There is no kind 'flow'. Give one of environments, flows, or none for all.");
});
