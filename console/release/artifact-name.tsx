import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import styles from './artifact-name.module.css';

interface ArtifactNameProps {
  org: string;
  /** As the environment reported it. The tooltip shows all of it. */
  name: string;
  fingerprint: string;
  /** The flow that reported the build; null if nobody did. Then there is no page to link to. */
  flow: string | null;
}

/** An artifact in a row of a table: the last part of its name, and the beginning of its digest. */
export const ArtifactName = ({ org, name, fingerprint, flow }: ArtifactNameProps) => (
  <span className={styles['artifact']}>
    <span className={styles['name']} title={name}>
      {flow === null ? (
        <Text>{shortName(name)}</Text>
      ) : (
        <PageLink page="artifact" params={{ org, flow, fingerprint }} strong row>
          <Text>{shortName(name)}</Text>
        </PageLink>
      )}
    </span>
    <span className={styles['digest']}>
      <Id what="fingerprint" short plain>
        {fingerprint}
      </Id>
    </span>
  </span>
);
