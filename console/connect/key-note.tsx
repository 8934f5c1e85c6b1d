import { PageLink } from '../parts/link/link.tsx';
import styles from './connect.module.css';

/** Where a person gets the key that the commands ask for. */
export const KeyNote = ({ org }: { org: string }) => (
  <p className={styles['quiet']}>
    The commands ask for an API key. Issue one of yours on the page{' '}
    <PageLink page="people" params={{ org }}>
      People
    </PageLink>
    .
  </p>
);
