import { sentence } from '#shared/base/errors.ts';

// Bundles (rules/verified-evidence.md#report-a-bundle)
/** The most attestations that bundles of one request make: all of them are one transaction. */
export const MOST_OF_BUNDLES = 12;
/** The same for bundles that decide about a control: each of them writes one item more. */
export const MOST_DECIDING = 6;
/** The most signers, trust roots, builders, runs, keys and bundles that one request names together, for the same reason. */
export const MOST_NAMED = 25;
export const tooManyNamed = sentence(
  'invalid',
  `The bundles name {count} signers, trust roots, builders, runs, keys and bundles together, and one request stores at most ${MOST_NAMED}. Send fewer bundles`,
);
export const tooManyOfBundles = sentence(
  'invalid',
  'The bundles are about {count} artifacts of the trail together, and one request stores at most {most} attestations. Send fewer bundles, or name one artifact in artifact_fingerprint',
);
/** The most artifacts that are looked for to find a trail: each one is a read. */
export const MOST_SOUGHT = 50;
export const tooManySubjects = sentence(
  'invalid',
  `The bundles name {count} artifacts, and at most ${MOST_SOUGHT} are looked for. Name one of them in artifact_fingerprint, or report the bundles for a trail`,
);
export const bundlesOfNothing = sentence('invalid', 'Input payload validation failed', {
  errors: {
    bundle_file:
      'No subject of the bundle was reported as an artifact. Report the artifact first. The bundle names {about}',
  },
});
