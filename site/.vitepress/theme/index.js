import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import HeroId from './HeroId.vue'
import TableFilter from './TableFilter.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'doc-before': () => h(TableFilter),
      'home-hero-image': () => h(HeroId),
    }),
}
