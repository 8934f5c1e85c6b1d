import { useLocation } from '@tanstack/react-router';
import { findPage, type PageName } from '#shared/console/pages.ts';
import { usePageName } from '../../client/page-name.ts';
import { crumbsOf, shortened } from '../../model/crumbs.ts';
import { PageLink } from '../link/link.tsx';
import { Text } from '../text/text.tsx';
import styles from './frame.module.css';

/** Pages whose address has a number, a digest or an expression. The page knows the name. */
const NUMBERED: ReadonlySet<PageName> = new Set(['action', 'artifact', 'control', 'draft', 'evaluation', 'snapshot']);

/** Where the page is: links to the list and the records that it belongs to. */
export function Crumbs() {
  const { pathname } = useLocation();
  const found = findPage(pathname);
  const name = usePageName(pathname);
  const crumbs = found ? crumbsOf(found.name, found.params) : [];
  return (
    <nav aria-label="Where this page is" className={styles['crumbs']}>
      <ol className={styles['crumbs']}>
        {crumbs.map(({ label, page, params }, n) => (
          <li key={page}>
            {n === crumbs.length - 1 ? (
              <span aria-current="page">
                <Text>{NUMBERED.has(page) ? shortened(name ?? label) : label}</Text>
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
