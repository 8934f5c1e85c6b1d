import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { findPage } from '#shared/console/pages.ts';
import './styles/base.css';

const root = document.getElementById('root');
if (!root) throw new Error('The shell has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <h1>{findPage(decodeURIComponent(location.pathname))?.name ?? 'Not found'}</h1>
  </StrictMode>,
);
