import { PageLink } from '../../parts/link/link.tsx';
import { Text } from '../../parts/text/text.tsx';
import { partsOfSnappish } from '../model/comparison.ts';

/** A link to the snapshot that `prod#12` names. */
export const SnapshotLink = ({ org, snappish }: { org: string; snappish: string }) => (
  <PageLink page="snapshot" params={{ org, ...partsOfSnappish(snappish) }}>
    snapshot <Text>{snappish}</Text>
  </PageLink>
);
