import { startFollowing } from './follow.js';
import { isAt, PAGES } from './pages.js';
import { startTheme } from './parts/theme.js';
import './style/base.css';
import './style/shell.css';

startTheme();
// Starts before anything is drawn, so that the service's answer and the code that draws it load in parallel.
startFollowing();
// A failure is reported where the page is drawn.
const page = PAGES.find((each) => isAt(each, location.pathname))
  ?.load()
  .catch(() => undefined);
const { draw } = await import('./draw.js');
await page;
draw();
