import { useLocation } from '@tanstack/react-router';
import { findPage } from '#shared/console/pages.ts';
import { crumbsOf } from '../../model/crumbs.ts';
import { PageLink } from '../link/link.tsx';
import { Text } from '../text/text.tsx';
import styles from './frame.module.css';

/** Where the page is: links to the list and the records that it belongs to. */
export function Crumbs() {
  const { pathname } = useLocation();
  const found = findPage(pathname);
  const crumbs = found ? crumbsOf(found.name, found.params) : [];
  return (
    <nav aria-label="Where this page is" className={styles['crumbs']}>
      <ol className={styles['crumbs']}>
        {crumbs.map(({ label, page, params }, n) => (
          <li key={page}>
            {n === crumbs.length - 1 ? (
              <span aria-current="page">
                <Text>{label}</Text>
              </span>
            ) : (
              <PageLink page={page} params={params}>
                <Text>{label}</Text>
              </PageLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
