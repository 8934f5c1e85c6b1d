import { partsOfSnappish } from '../../model/comparison.ts';
import { PageLink } from '../../parts/link.tsx';
import { Text } from '../../parts/text.tsx';

/** A link to the snapshot that `prod#12` names. */
export const SnapshotLink = ({ org, snappish }: { org: string; snappish: string }) => (
  <PageLink page="snapshot" params={{ org, ...partsOfSnappish(snappish) }}>
    snapshot <Text>{snappish}</Text>
  </PageLink>
);
