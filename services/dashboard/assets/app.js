/** What pages gain where scripts run. Every action works without it. */
document.documentElement.classList.add('scripted');
