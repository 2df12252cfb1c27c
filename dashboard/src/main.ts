import { startFollowing } from './follow.js';
import { isAt, PAGES } from './pages.js';
import { startTheme } from './parts/theme.js';
import './style/base.css';
import './style/shell.css';

startTheme();
// Before anything is drawn: the service's answer and the code that draws it come at the same time.
startFollowing();
// A failure shows where the page is drawn.
const page = PAGES.find((each) => isAt(each, location.pathname))
  ?.load()
  .catch(() => undefined);
const { draw } = await import('./draw.js');
await page;
draw();
