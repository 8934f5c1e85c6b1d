import { type Uses, usesTogether } from '#shared/table/uses.ts';

/** What forgetting an SBOM and statements of OpenVEX changes. */
export const FORGET_SBOM: Uses = {
  writes: ['SBOM', 'COMPONENTSET', 'ERASURE'],
  removes: ['COMPONENT', 'COMPONENTSET', 'VEX'],
  bucket: ['bodies:read'],
};

/** What the worker writes that indexes components. It forgets what was erased while it worked. */
export const INDEX_COMPONENTS: Uses = usesTogether([
  {
    writes: ['SBOM', 'COMPONENT', 'COMPONENTSET', 'VEX'],
    batches: ['COMPONENT', 'VEX'],
    bucket: ['evidence:read', 'bodies:read', 'bodies:write'],
  },
  FORGET_SBOM,
]);
