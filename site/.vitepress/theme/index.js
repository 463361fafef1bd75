import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import HeroId from './HeroId.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => h(HeroId),
    }),
}
