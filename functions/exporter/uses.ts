import type { Uses } from '#shared/table/uses.ts';

/** Everything that the exporter writes: exports, packages and their archives. It reads every object that an archive takes over. */
export const EXPORTER_USES: Uses = {
  writes: ['EXPORT', 'PACKAGE'],
  removes: ['@EXPORTING', '@PACKAGING'],
  // No archive is finished over an erasure that began after its start.
  checks: ['ERASURE'],
  bucket: [
    'exports:read',
    'exports:write',
    // It removes again what it stored while an erasure removed the export.
    'exports:erase',
    'bodies:read',
    'bodies:list',
    'evidence:read',
    'evidence:list',
    'log:read',
  ],
  keys: ['log:read', 'statement:read'],
};
