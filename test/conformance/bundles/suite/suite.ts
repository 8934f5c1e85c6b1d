import { FAULTS } from '#test/shared/signatures/faulty-bundles.ts';
import { own } from '#test/shared/signatures/own-trust.ts';
import { ARTIFACT, ISSUER, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { acceptedCases } from './accepted.ts';
import { type OwnCase, refused, root } from './case.ts';
import { keyCases, textCases } from './keys-and-texts.ts';
import { logCases } from './logs.ts';
import { signerCases } from './signers.ts';

/**
 * A folder of bundles in the layout of Sigstore's conformance suite, which an own instance of Sigstore makes: what it has to accept, and
 * each fault that somebody can try (docs/testing.md#bundles-of-others).
 */

/** Faults whose sentence depends on who is asked for, which the command says in other words, or that need a missing file. */
const OTHERWISE = /^(?:the subject as an address|another issuer|the signature of a file)/;

/** Returns the cases, each with the own root unless it brings another one. */
export function ownSuite(): OwnCase[] {
  const faults = FAULTS.flatMap(([name, make, sentence]) =>
    OTHERWISE.test(name) ? [] : [refused(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), make(), sentence)],
  );
  return [...acceptedCases(), ...faults, ...logCases(), ...signerCases(), ...keyCases(), ...textCases()].map((one) => ({
    ...one,
    files: { ...root(own.json()), ...one.files },
  }));
}

/** What the command takes for cases that say nothing else. */
export const OWN_DEFAULTS = { artifact: ARTIFACT, identity: SUBJECT, issuer: ISSUER };
