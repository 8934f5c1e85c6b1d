import { Text } from '../../../parts/text/text.tsx';
import type { Package } from '../model/sbom-file.ts';
import { Bounded } from './bounded.tsx';
import styles from './views.module.css';

/** The packages that an SBOM lists. */
export const PackageList = ({ packages }: { packages: readonly Package[] }) => (
  <Bounded
    rows={packages}
    textOf={({ name, version, licences, address }) => [name, version, licences, address].join(' ')}
    what="packages"
  >
    {({ name, version, licences, address }) => (
      <div className={styles['item']}>
        <div className={styles['line']}>
          <span className={styles['name']}>
            <Text>{name}</Text>
          </span>
          {version !== null && <Text>{version}</Text>}
          {licences !== '' && (
            <span className={`${styles['quiet']} ${styles['end']}`}>
              <Text>{licences}</Text>
            </span>
          )}
        </div>
        {address !== null && (
          <span className={styles['quiet']}>
            <Text>{address}</Text>
          </span>
        )}
      </div>
    )}
  </Bounded>
);
