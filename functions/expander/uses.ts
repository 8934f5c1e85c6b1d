import { INDEX_COMPONENTS } from '#shared/components/uses.ts';
import { SERIES_USES } from '#shared/series/uses.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { RECORD_MATCHES } from '#shared/watches/asking/record-matches.ts';

const EXPANSION: Uses = {
  writes: ['EXPANDED', 'ENVEVENT', 'RUNNING', 'FLOWRUNS', 'RUNTIME', 'DEPLOYMENTS', 'ENV', 'SHA', 'CATALOGUE'],
  batches: ['ENVEVENT', 'RUNNING', 'FLOWRUNS', 'RUNTIME', 'SHA'],
};

/** Snapshots of logical environments, which the expander creates itself, with their contents. */
const LOGICAL_SNAPSHOTS: Uses = {
  writes: ['SNAPSHOT', 'ENV', 'CATALOGUE', 'BODY'],
  bucket: ['bodies:read', 'bodies:write'],
};

const DELIVERIES: Uses = { writes: ['DELIVERY', 'DELIVERIES', '@DUE'] };

export const EXPANDER_USES: Uses = usesTogether([
  EXPANSION,
  LOGICAL_SNAPSHOTS,
  DELIVERIES,
  SERIES_USES,
  INDEX_COMPONENTS,
  RECORD_MATCHES,
]);
